// SPDX-License-Identifier: Apache-2.0
// Eigenvectors of symmetric matrices, the same bits on every machine.
#pragma once

#include <vector>

namespace protium {

struct Eigenpair {
  double value = 0;
  std::vector<double> vector;  // Of length 1; its entry of the largest size is positive.
};

// All eigenpairs of the symmetric matrix of `size` rows, given row by row, largest values first,
// equal ones by the position of the diagonal element that they come from. Of equal entries of a
// vector the first decides its sign. The matrix must be finite.
std::vector<Eigenpair> Eigenpairs(std::vector<double> matrix, size_t size);

}  // namespace protium
