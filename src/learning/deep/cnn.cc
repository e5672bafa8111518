// SPDX-License-Identifier: Apache-2.0
#include "deep/cnn.h"

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include "deep/dense_head.h"
#include "deep/module_net.h"
#include "deep/pool_relu.h"
#include "nets/net_columns.h"
#include "protium/net_columns.h"

namespace protium {
namespace {

// Rows store images as [height, width, channels]. LibTorch sees them as [rows, channels, height,
// width] without a copy (its memory format ChannelsLast), in which its convolutions are fastest;
// the order stays the same up to the dense layers.
class CnnModule final : public torch::nn::Module {
 public:
  CnnModule(const CnnOptions& options, const ImageColumn& image, const NetInputs& inputs);
  at::Tensor forward(const Batch& rows);

 private:
  // Steps of the constructor: each registers its part and returns how many numbers it makes per
  // row.
  int64_t AddBlocks();

  CnnOptions options_;
  ImageColumn image_;
  torch::nn::ModuleList convolutions_;
  torch::nn::ModuleList norms_;
  DenseHead head_;
};

CnnModule::CnnModule(const CnnOptions& options, const ImageColumn& image, const NetInputs& inputs)
    : options_(options),
      image_(image),
      convolutions_(register_module("conv", torch::nn::ModuleList())),
      norms_(register_module("norm", torch::nn::ModuleList())),
      head_(*this, AddBlocks(), options.hidden, options.dropout, inputs) {}

int64_t CnnModule::AddBlocks() {
  int64_t channels = options_.channels, height = image_.height, width = image_.width;
  for (const int64_t filters : options_.filters) {
    // Batch norm subtracts the mean, and with it any bias.
    const auto convolution = torch::nn::Conv2dOptions(channels, filters, options_.kernel)
                                 .padding(options_.kernel / 2)
                                 .bias(!options_.batch_norm);
    convolutions_->push_back(torch::nn::Conv2d(convolution));
    if (options_.batch_norm) norms_->push_back(torch::nn::BatchNorm2d(filters));
    channels = filters;
    height /= options_.pool;
    width /= options_.pool;
  }
  return channels * height * width;
}

at::Tensor CnnModule::forward(const Batch& rows) {
  at::Tensor x = rows[image_.column];
  // Other fields of the rows lie between the images; this makes the images contiguous.
  x = options_.divide_by == 1 ? x.contiguous() : x.div(options_.divide_by);
  x = x.view({rows.size(), image_.height, image_.width, options_.channels}).permute({0, 3, 1, 2});
  for (size_t block = 0; block < options_.filters.size(); ++block) {
    x = convolutions_->at<torch::nn::Conv2dImpl>(block).forward(x);
    if (options_.batch_norm) x = norms_->at<torch::nn::BatchNorm2dImpl>(block).forward(x);
    x = PoolRelu(x, options_.pool);
  }
  return head_.Outputs(rows, x.permute({0, 2, 3, 1}).reshape({rows.size(), -1}));
}

}  // namespace

Result<std::unique_ptr<Net>> MakeCnn(const Json& given, const NetInputs& inputs) {
  CnnOptions options;
  PT_TRY(FieldsFromJson(given, "net", options));
  PT_TRY(options.Check("net"));
  PT_LET(const ImageColumn image, FindImage(options, ColumnsOf(inputs), "net"));
  return MakeRecordedNet(MakerOf<CnnModule>(options, image, inputs), inputs);
}

}  // namespace protium
