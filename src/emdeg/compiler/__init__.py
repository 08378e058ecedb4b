"""From a robot to the cheapest proven program."""
