// SPDX-License-Identifier: Apache-2.0
// LibTorch's matrix products of float32 on the CPU, computed by the house's own
// (nets/product.h). Those are quicker for the small layers of tables, and their bits depend
// neither on the processor nor on its maker, as those of the library that LibTorch brings do.
#pragma once

#include <ATen/core/Tensor.h>

namespace protium {

// What aten::mm computes: [rows, inner] x [inner, columns], any strides. What the house's products
// do not cover (other types, nothing to multiply) LibTorch computes itself, and it also says what
// does not fit together. May throw LibTorch's exceptions.
at::Tensor MultiplyMatrices(const at::Tensor& left, const at::Tensor& right);

// What aten::addmm computes, the same way: beta * addend + alpha * (left x right), `addend`
// broadcast to the shape of the result.
at::Tensor AddMatrixProduct(const at::Tensor& addend, const at::Tensor& left,
                            const at::Tensor& right, const at::Scalar& beta,
                            const at::Scalar& alpha);

// From now on LibTorch calls these two wherever it multiplies matrices in this process: in modules,
// in TorchScript and in the backward of both. May throw LibTorch's exceptions.
void UseOwnProducts();

}  // namespace protium
