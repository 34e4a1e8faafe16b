"""Training of the detector: pictures drawn on the fly, the vote net, slot classifier, refiner and rescorer, and their evaluation."""
