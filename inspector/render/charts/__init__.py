"""Charts in characters: pure functions from plain numbers to lines of pieces, whose marks open the cases behind them.

Every chart keeps to the width that it is given, can be read in ASCII and without colour, and says in words what its
signs mean. Names are shown whole: they break over lines and are never cut.
"""
