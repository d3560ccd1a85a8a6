"""Search over HTTP: an API with JSON, and a page to search with."""
