#!/bin/sh
# What an archive says is what its capture says: see read_back.py.
exec "$PYTHON" -B "$SOURCE_DIR/test/support/read_back.py" "$IOTRACE" "$SOURCE_DIR/test/golden/captures"
