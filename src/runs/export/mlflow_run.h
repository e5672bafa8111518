// SPDX-License-Identifier: Apache-2.0
// A run on an MLflow tracking server that is being filled, over its REST API (2.0). One thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/facts.h"
#include "export/service.h"

namespace protium {

inline constexpr std::string_view kMlflowApi = "/api/2.0/mlflow/";

// Posts to the API and returns the response; a refusal is the service's fault.
Result<Json> AskMlflow(Service& service, const std::string& what, const Json& request);

struct MlflowStart {
  std::string experiment;  // Its id.
  std::string name;
  double started = 0;                                     // Seconds since 1970.
  std::vector<std::pair<std::string, std::string>> tags;  // Empty ones are not sent.
};

class MlflowRun {
 public:
  static Result<MlflowRun> Create(Service& service, const MlflowStart& start);

  const std::string& id() const { return id_; }
  const std::string& artifacts() const { return artifacts_; }  // "mlflow-artifacts:/7/abc"

  // A flat object. What is longer than 500 bytes is cut.
  Status LogParams(const Json& params);
  Status LogPoints(const std::string& metric, const std::vector<SeriesPoint>& points);
  // Sends what LogPoints() has gathered.
  Status Flush();
  // `ended` is in seconds since 1970; 0: it goes on.
  Status End(const char* status, double ended);

  // What did not fit: ends of settings, points that are not finite.
  std::vector<std::string> LeftOut() const;

 private:
  MlflowRun(Service& service, std::string id, std::string artifacts)
      : service_(&service), id_(std::move(id)), artifacts_(std::move(artifacts)) {}
  Status Batches(const char* what, const Json& list, size_t at_once);

  Service* service_;
  std::string id_, artifacts_;
  Json metrics_ = Json::array();
  size_t cut_ = 0, odd_ = 0;
};

// Makes the trials of a search on the server, each below the run `parent`: values as parameters,
// the metric and what it was on the way. Appends to `left_out`.
Status SendTrialsToMlflow(Service& service, const std::string& experiment,
                          const std::string& parent, const RunFacts& facts,
                          std::vector<std::string>& left_out);

}  // namespace protium
