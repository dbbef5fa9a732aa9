#!/bin/sh
# Stands for every program of a crontab's line (crontabs.ts). Its name decides what it does.
name=${0##*/}

# Skips options, and the values of those named, up to the command.
case $name in
  sudo | chronic | cronic | ionice | run-one | setsid | time)
    while :; do
      case $1 in
        -u | -g | -n | -c) shift 2 ;;
        -*) shift ;;
        *) exec "$@" ;;
      esac
    done
    ;;
  docker)
    [ "$1" = exec ] || exit 0
    shift
    while :; do
      case $1 in
        -u | -w | -e) shift 2 ;;
        -*) shift ;;
        *) break ;;
      esac
    done
    shift
    exec "$@"
    ;;
  ssh)
    while :; do
      case $1 in
        -p | -i | -o | -l) shift 2 ;;
        -*) shift ;;
        *) break ;;
      esac
    done
    shift
    exec sh -c "$*"
    ;;
  su)
    while [ "$1" != -c ]; do shift; done
    exec sh -c "$2"
    ;;
  bundle)
    shift
    exec "$@"
    ;;
  screen)
    shift 2
    ("$@") &
    exit 0
    ;;
  date)
    echo "${FAKE_DATE:-2026-11-23}"
    exit 0
    ;;
  pgrep)
    exit 1
    ;;
  sleep | perl)
    exit 0
    ;;
  curl)
    for one; do
      case $one in
        https://hc.example/*)
          echo "$one" >>"$FAKE_PINGS"
          exit 0
          ;;
      esac
    done
    ;;
esac

echo "$name" >>"$FAKE_LOG"
[ -p /dev/stdin ] && cat >/dev/null
echo "output of $name"
case $FAKE_FAILING in
  *" $name "*) exit 3 ;;
esac
exit 0
