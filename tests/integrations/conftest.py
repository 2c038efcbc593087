"""The packages of others. Where one is missing its tests skip, and say how to get it."""

import os

# MLflow would report its use to its makers.
os.environ["MLFLOW_DISABLE_TELEMETRY"] = os.environ["DO_NOT_TRACK"] = "true"
