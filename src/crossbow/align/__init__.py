"""Word alignment: which words of a sentence and of its translation belong together.

`driver.align` is the way in; `pharaoh` reads and writes links that other tools understand.
"""
