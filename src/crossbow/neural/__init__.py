"""Neural translation as one more source of forests; extra `neural` (CTranslate2 and SentencePiece)."""
