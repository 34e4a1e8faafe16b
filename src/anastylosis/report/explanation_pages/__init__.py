"""Figures of an explanation, one file and one function for each page.

Only `report/explanation.py` imports these files, so that matplotlib is loaded for it alone.
"""
