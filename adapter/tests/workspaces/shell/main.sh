#!/usr/bin/env bash
source ./lib.sh
greet world
greet "é😀"
