// SPDX-License-Identifier: Apache-2.0
// A run on an MLflow tracking server, over its REST API (2.0).
#pragma once

#include "export/send.h"
#include "export/service.h"

namespace protium {

// Makes a run of the experiment that is called as the job is: parameters, curves, tags, and the
// files of the model with an MLmodel. A server that has this run already refuses it, unless
// `options.again`. A failure on the way leaves the run on the server as "FAILED".
Result<Sent> SendToMlflow(const SendOptions& options, const RunFacts& facts, Service& service);

// The file MLmodel of a model folder: what the files are, in MLflow's words.
std::string MlmodelText(const std::filesystem::path& model, const std::string& created,
                        const std::string& mlflow_run);

}  // namespace protium
