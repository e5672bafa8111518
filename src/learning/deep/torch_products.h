// SPDX-License-Identifier: Apache-2.0
// Computes LibTorch's float32 matrix products on the CPU with our own (nets/product.h). These are
// faster for the small layers used with tables, and their bits depend on neither the processor nor
// its vendor, unlike those of the library that LibTorch ships with.
#pragma once

#include <ATen/core/Tensor.h>

namespace protium {

// Computes aten::mm: [rows, inner] x [inner, columns], any strides. LibTorch itself computes what
// our products do not cover (other types, nothing to multiply) and reports shapes that do not
// match. May throw LibTorch's exceptions.
at::Tensor MultiplyMatrices(const at::Tensor& left, const at::Tensor& right);

// Computes aten::addmm in the same way: beta * addend + alpha * (left x right), with `addend`
// broadcast to the shape of the result.
at::Tensor AddMatrixProduct(const at::Tensor& addend, const at::Tensor& left,
                            const at::Tensor& right, const at::Scalar& beta,
                            const at::Scalar& alpha);

// Makes LibTorch call these two wherever it multiplies matrices in this process: in modules, in
// TorchScript and in the backward pass of both. May throw LibTorch's exceptions.
void UseOwnProducts();

}  // namespace protium
