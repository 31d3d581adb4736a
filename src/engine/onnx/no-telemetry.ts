// ONNX Runtime tells its maker of its use, unless it is told not to before it is loaded.
process.env.ORT_DISABLE_TELEMETRY ??= "1";
