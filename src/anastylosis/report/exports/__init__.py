"""Exports: a dataset as files for other programs. A new format is one file here and one line in `FORMATS` of formats.py.

A format takes the folder of the dataset, the folder to write to and the settings, and yields its progress. What is there
already is kept, and files of another dataset are refused.
"""
