# SPDX-License-Identifier: Apache-2.0
# Brings ONNX Runtime's library to .deps/py/onnxruntime, which appears when it is whole.

OnnxHash() { sha256sum <scripts/onnx.lock | cut -c1-64; }

HasOnnx() { [ "$(cat .deps/py/onnxruntime/made 2>/dev/null)" = "$(OnnxHash)" ]; }

FetchOnnxWheel() {
  awk '!/^#/ { print $1 "==" $2 " --hash=sha256:" $3 }' scripts/onnx.lock >"$1/requirements.txt"
  python3 -m pip download -q --no-deps --no-cache-dir --require-hashes -d "$1" --python-version 3.11 \
    --implementation cp --abi cp311 --only-binary=:all: --platform manylinux_2_28_x86_64 \
    -r "$1/requirements.txt"
}

# Of the wheel only the library is needed, and what it is licensed under.
MakeOnnx() {
  local version wheel=$1/wheel/onnxruntime
  version=$(awk '!/^#/ { print $2 }' scripts/onnx.lock)
  python3 -m zipfile -e "$1"/onnxruntime-*.whl "$1/wheel" && mkdir "$1/onnxruntime" &&
    mv "$wheel/capi/libonnxruntime.so.$version" "$wheel/LICENSE" "$wheel/ThirdPartyNotices.txt" \
      "$1/onnxruntime/" && OnnxHash >"$1/onnxruntime/made" && rm -rf .deps/py/onnxruntime &&
    mv "$1/onnxruntime" .deps/py/
}

# FetchOnnx: does nothing when it is here.
FetchOnnx() {
  local folder=$PWD/.deps/fetch-onnx
  if HasOnnx; then return 0; fi
  LOG=$PWD/.deps/onnx.log
  : >"$LOG" && rm -rf "$folder" && mkdir -p "$folder"
  Step "downloading ONNX Runtime (27 MiB)" FetchOnnxWheel "$folder" ||
    Die "ONNX Runtime could not be downloaded: $(Reason)"
  Step "unpacking it" MakeOnnx "$folder" || Die "ONNX Runtime could not be unpacked: $(Reason)"
  rm -rf "$folder" "$LOG"
}
