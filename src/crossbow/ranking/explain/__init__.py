"""Why a document was found: its derivation, word by word, what else a word could have become, and where to see it."""
