// SPDX-License-Identifier: Apache-2.0
// Eigenvectors of symmetric matrices, the same bits on every machine.
#pragma once

#include <vector>

namespace protium {

struct Eigenpair {
  double value = 0;
  std::vector<double> vector;  // Of length 1; its largest entry by size is positive.
};

// Returns all eigenpairs of the symmetric matrix of `size` rows, given row by row, largest values
// first, equal ones by the position of the diagonal element that they come from. If several entries
// of a vector have the largest size, the first decides its sign. The matrix must be finite.
std::vector<Eigenpair> Eigenpairs(std::vector<double> matrix, size_t size);

}  // namespace protium
