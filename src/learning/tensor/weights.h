// SPDX-License-Identifier: Apache-2.0
// The memory that a net learns in: laid out once, so that gradients, optimisers, checkpoints and
// ranks all mean the same floats by the same offsets.
//
// It is memory of the host, which optimisers and files work on. A net on a device works in a copy
// there: Upload() after the host's weights have changed and before the net computes, Download()
// after the net has changed its own. Updating on the host costs two copies of the parameters per
// step and the time of the update; in return one set of optimisers serves all devices with the same
// bits, and files, averages and sums over ranks need not know about devices.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/safetensors.h"
#include "tensor/device.h"
#include "tensor/net.h"

namespace protium {

// A buffer of a net, and where it lies among all of them.
struct BufferPart {
  std::string name;
  int64_t offset = 0;  // In floats.
  int64_t count = 0;
  bool whole = false;
};

// The parameters of a net in one piece of memory, each starting at a multiple of 16 floats (zeros
// between), and its buffers in another. Owns the memory that the net works in.
class Weights {
 public:
  // Binds the net to this memory, which must live as long as the net computes. `device` is that of
  // the inputs the net was made for.
  static Result<std::unique_ptr<Weights>> Make(Net& net, const ComputeDevice& device = {});
  // The same with parameters in `memory` of the host, which has SizeOf(net) floats, all 0.
  static Result<std::unique_ptr<Weights>> MakeIn(std::shared_ptr<float> memory, Net& net);
  // size() of the weights of this net.
  static int64_t SizeOf(const Net& net);

  struct Part {
    int64_t offset = 0;  // In floats.
    int64_t count = 0;
  };
  const std::vector<Part>& parts() const { return parts_; }  // One a parameter.
  // Name and shape of parameter i.
  const Variable& parameter(size_t i) const { return variables_[i]; }
  int64_t size() const { return size_; }  // Floats, padding included.
  std::span<float> parameters() { return parameters_; }
  std::span<float> buffers() { return buffers_; }
  const std::vector<BufferPart>& buffer_parts() const { return buffer_parts_; }

  const ComputeDevice& device() const { return device_; }

  // Both do nothing if the net computes on the host's memory. Upload() returns at once: see
  // tensor/device.h. May throw.
  void Upload();
  void Download();
  // The same for buffers alone.
  void UploadBuffers();
  void DownloadBuffers();

  // Each parameter's part of `size()` floats of the same layout, where the net computes.
  std::vector<FloatValues> Views(float* base) const;

  // Parameters and buffers as they are now, then the net's constants; borrowed.
  std::vector<NamedTensor> Tensors() const;
  // Sets the host's weights; Upload() copies them to the net. Refuses files with other names,
  // shapes, types or constants (kInput), naming the first that differs.
  Status Load(const Safetensors& file, const std::string& where);
  // Equal, for all practical purposes, exactly when all bits of parameters and buffers are.
  std::string Hash() const;

 private:
  static Result<std::unique_ptr<Weights>> Lay(Net& net, const ComputeDevice& device,
                                              std::shared_ptr<float> memory);

  std::vector<Variable> variables_;  // Parameters, then buffers.
  std::vector<Part> parts_;
  std::vector<BufferPart> buffer_parts_;
  std::vector<NamedTensor> constants_;
  int64_t size_ = 0;
  ComputeDevice device_;
  std::shared_ptr<float> memory_;
  std::shared_ptr<float> buffer_memory_;
  // On a staged device the copies that the net works in; else the same memory.
  std::shared_ptr<float> there_;
  std::shared_ptr<float> buffers_there_;
  std::span<float> parameters_;
  std::span<float> buffers_;
};

}  // namespace protium
