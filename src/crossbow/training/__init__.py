"""Making models: from parallel text, from a dictionary, or from the rules of another system."""
