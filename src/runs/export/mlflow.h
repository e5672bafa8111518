// SPDX-License-Identifier: Apache-2.0
// Sends a run to an MLflow tracking server, over its REST API (2.0).
#pragma once

#include "export/send.h"
#include "export/service.h"

namespace protium {

// Makes a run in the experiment that has the job's name: parameters, curves, tags, and the model's
// files with an MLmodel. Fails if the server already has this run, unless `options.again`. A
// failure on the way leaves the run on the server as "FAILED".
Result<Sent> SendToMlflow(const SendOptions& options, const RunFacts& facts, Service& service);

// The file MLmodel of a model folder: describes the files in MLflow's terms.
std::string MlmodelText(const std::filesystem::path& model, const std::string& created,
                        const std::string& mlflow_run);

}  // namespace protium
