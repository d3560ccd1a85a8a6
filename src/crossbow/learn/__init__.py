"""Learning to rank: weights of forced decoding from relevance judgements. Start at driver.py."""
