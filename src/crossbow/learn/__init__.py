"""Learning to rank: weights of forced decoding from relevance judgments. Start at driver.py."""
