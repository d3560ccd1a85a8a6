"""The experiments of Hieber and Riezler (2015): Table 1, Table 2, Figure 1 and smaller ones. Start at driver.py."""
