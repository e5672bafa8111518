// SPDX-License-Identifier: Apache-2.0
// Weights of another program. The first byte chooses: a whole file, which is safetensors or an
// archive as PyTorch writes it, or the pickle in such an archive, of a state dict or of TorchScript
// modules, with correct checksums.
#include "base/fault.h"
#include "tests/fuzz/input_file.h"
#include "weights/testing/test_archive.h"
#include "weights/weights_file.h"

namespace protium {
namespace {

std::string FileOf(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 1) == 0) return bytes;
  const char* const last = (data[0] & 2) == 0 ? "m/version" : "m/constants.pkl";
  return Zip({{"m/data.pkl", bytes}, {"m/data/0", std::string(24, '\1')}, {last, "3\n"}});
}

}  // namespace
}  // namespace protium

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  if (size == 0) return 0;
  const std::string bytes = FileOf(data, size);
  const InputFile file(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  const auto weights = WeightsFile::Read(file.path());
  if (!weights.ok()) {
    PT_CHECK(FaultOf(weights.status()).exit != Exit::kBug);
    return 0;
  }
  const auto floats = ToFloat32(weights->tensors());
  if (!floats.ok()) PT_CHECK(FaultOf(floats.status()).exit == Exit::kInput);
  return 0;
}
