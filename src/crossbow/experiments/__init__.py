"""The experiments of both papers, from a collection to a report: bowfd/, poster/, and what they share, core/."""
