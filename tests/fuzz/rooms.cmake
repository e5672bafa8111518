# SPDX-License-Identifier: Apache-2.0
# What the preset "fuzz" builds: these rooms with those that they use are its whole libprotium.so.
set(PROTIUM_ONLY job local onnx records serve)
# The rooms that read strangers' bytes, or what was made of them: instrumented, and optimised where a
# program runs them thousands of times a second. The others are compiled as fast as may be.
set(PROTIUM_INSTRUMENTED avro base column format http inference job model onnx onnx_graph onnx_runtime pipeline
  records sql_text stages subwords trees weights)
set(PROTIUM_OPTIMISED avro base column format onnx_runtime sql_text subwords weights)
# By the header set: what is added to the preset's own options.
set(PROTIUM_OPTIONS_slow -O0)
set(PROTIUM_OPTIONS_bare -O0 -fno-sanitize=all)
