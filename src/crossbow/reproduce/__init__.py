"""The paper's experiments on a collection: Table 1, Table 2, Figure 1 and smaller ones. Start at driver.py."""
