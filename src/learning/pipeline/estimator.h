// SPDX-License-Identifier: Apache-2.0
// Completes the options that all estimators share and checks them against the catalogue, for
// EstimatorKind::Complete(). Needs no table, so mistakes in a job file are found before any file is
// read. Faults are of Exit::kUsage, with a `where` below `path`; `at` is `path` with its dot.
#pragma once

#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "pipeline/estimator_options.h"

namespace protium {

// Replaces the options given for a named choice by the complete ones.
template <class Row>
Status CompleteNamed(const std::vector<Row>& rows, const char* what, const std::string& path,
                     Choice& choice) {
  PT_LET(const Row* row, FindRow(rows, what, choice.name, path + ".name"));
  PT_LET(choice.options, row->complete(choice.options, path));
  return Status::OK();
}

// Returns the row of the loss, with the kind of label that it learns with these options.
Result<LossRow> LossRowOf(const EstimatorOptions& options, const std::string& path,
                          const Catalogue& catalogue);

// Fills in what depends on the loss, whose own options are complete, and refuses options that
// contradict each other.
Status CompleteLearning(EstimatorOptions& options, const std::string& path,
                        const Catalogue& catalogue);
// Checks that follow the checks of ranges.
Status CheckBest(const EstimatorOptions& options, const std::string& at);
Status CheckInputs(const EstimatorOptions& options, const std::string& at);

// Whether a calibration or a threshold is fitted to the validation rows, which it then needs.
bool FitsDecision(const EstimatorOptions& options);

}  // namespace protium
