// SPDX-License-Identifier: Apache-2.0
#include "deep/torch_products.h"

#include <ATen/Parallel.h>
#include <ATen/ops/addmm_cpu_dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm_cpu_dispatch.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

#include "deep/float_tensor.h"
#include "nets/product.h"

namespace protium {
namespace {

bool IsFloatMatrix(const at::Tensor& tensor) {
  return tensor.dim() == 2 && tensor.scalar_type() == at::kFloat && tensor.is_cpu() &&
         tensor.numel() > 0;
}

bool IsOurs(const at::Tensor& left, const at::Tensor& right) {
  return IsFloatMatrix(left) && IsFloatMatrix(right) && left.size(1) == right.size(0);
}

MatrixView ViewOf(const at::Tensor& matrix) {
  return {matrix.const_data_ptr<float>(), matrix.size(0), matrix.size(1), matrix.stride(0),
          matrix.stride(1)};
}

// Autograd's threads call it, too: each reuses its own memory for products.
Product& ProductOfThread() {
  thread_local std::pair<int32_t, Product> kept{1, Product(1)};
  const int32_t threads = at::get_num_threads();
  if (kept.first != threads) kept = {threads, Product(threads)};
  return kept.second;
}

at::Tensor ResultOf(const at::Tensor& left, const at::Tensor& right) {
  return at::empty({left.size(0), right.size(1)}, left.options());
}

// LibTorch warns when one of its kernels is replaced, which is intended here.
class Silent final : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

}  // namespace

at::Tensor MultiplyMatrices(const at::Tensor& left, const at::Tensor& right) {
  if (!IsOurs(left, right)) return at::cpu::mm(left, right);
  at::Tensor out = ResultOf(left, right);
  ProductOfThread().Set(ViewOf(left), ViewOf(right), FloatData(out), right.size(1));
  return out;
}

at::Tensor AddMatrixProduct(const at::Tensor& addend, const at::Tensor& left,
                            const at::Tensor& right, const at::Scalar& beta,
                            const at::Scalar& alpha) {
  const bool plain = beta.equal(1) && alpha.equal(1) && addend.scalar_type() == at::kFloat;
  if (!plain || !IsOurs(left, right)) return at::cpu::addmm(addend, left, right, beta, alpha);
  at::Tensor out = ResultOf(left, right);
  out.copy_(addend);  // Refuses what cannot be broadcast.
  ProductOfThread().Add(ViewOf(left), ViewOf(right), FloatData(out), right.size(1));
  return out;
}

void UseOwnProducts() {
  // Kernels stay replaced as long as this object exists, and LibTorch cannot be unloaded: both last
  // until the process ends.
  static const torch::Library library = [] {
    Silent silent;
    const c10::WarningUtils::WarningHandlerGuard guard(&silent);
    torch::Library made(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, __FILE__, __LINE__);
    made.impl("mm", TORCH_FN(MultiplyMatrices));
    made.impl("addmm", TORCH_FN(AddMatrixProduct));
    return made;
  }();
}

}  // namespace protium
