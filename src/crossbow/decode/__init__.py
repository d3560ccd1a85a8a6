"""From a sentence's rules and the language model to its translation forest, and from forests to k-best lists."""
