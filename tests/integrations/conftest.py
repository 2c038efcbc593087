"""Integrations with other packages. If one is missing, its tests are skipped and name the way to install it."""

import os

# Keep MLflow from reporting usage.
os.environ["MLFLOW_DISABLE_TELEMETRY"] = os.environ["DO_NOT_TRACK"] = "true"
