#!/bin/sh
# Publishes what Belfry tells, as it is, for Home Assistant, Node-RED and others to listen to.
# Needs mosquitto-clients.
broker=localhost
topic=belfry/told

exec mosquitto_pub -h "$broker" -t "$topic" -s
