"""From what lies there to ranked proposals of how it stood: retrieve, hypothesise, re-simulate, weigh, order the building."""
