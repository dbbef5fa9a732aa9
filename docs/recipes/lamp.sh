#!/bin/sh
# Turns a lamp on while anything is down, for a rule about “Check goes down” and “Check recovers”.
# The address is that of a Shelly plug; others have one like it. Needs curl.
lamp=http://lamp.local/relay/0

# Quotes in names and texts are escaped, so nobody can write this but Belfry.
if grep -q '"down":0,'; then turn=off; else turn=on; fi
exec curl --fail --silent --show-error --max-time 10 "$lamp?turn=$turn"
