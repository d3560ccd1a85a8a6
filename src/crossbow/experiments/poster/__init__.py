"""The experiment of Gillenwater and others (2013), of which a poster is left. Start at driver.py."""
