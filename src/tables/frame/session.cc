// SPDX-License-Identifier: Apache-2.0
// Named tables and SQL over them. A session holds plans only; nothing is read here.
#include "protium/session.h"

#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "frame/named_tables.h"
#include "frame/session_state.h"

namespace protium {

Session::Session(std::unique_ptr<SessionState> state) : state_(std::move(state)) {}

Session::~Session() = default;

SessionState& StateOf(const Session& session) { return *session.state_; }

void Session::Table(const std::string& name, const DataFrame& frame) {
  Plan plan = frame.plan();
  // A scan's own name is that of its file; messages should use the name the user chose.
  if (const auto* scan = std::get_if<Scan>(&plan->verb); scan != nullptr && scan->table != name) {
    Scan named = *scan;
    named.table = name;
    plan = Holding(MakePlan(std::move(named)), plan);
  }
  for (auto& [each, kept] : state_->tables()) {
    if (each != name) continue;
    kept = std::move(plan);
    return;
  }
  state_->tables().emplace_back(name, std::move(plan));
}

DataFrame Session::Table(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [each, plan] : state_->tables()) {
    if (each == name) return {*this, plan};
    known.push_back(each);
  }
  return {*this, MakePlan(Broken{Fail({.exit = Exit::kUsage,
                                       .what = "there is no table \"" + name + "\"",
                                       .fix = Suggest(name, known)})})};
}

// Every table named so far becomes an input, whether the text mentions it or not: the text is
// parsed only when the engine analyses the plan.
DataFrame Session::Sql(std::string text) {
  protium::Sql sql{.text = std::move(text)};
  std::vector<Plan> inputs;
  for (const auto& [name, plan] : state_->tables()) {
    sql.names.push_back(name);
    inputs.push_back(plan);
  }
  return {*this, MakePlan(std::move(sql), std::move(inputs))};
}

std::string Session::Setting(const std::string& name, const std::string& fallback) const {
  state_->Ask(name);
  const auto& settings = state_->options().settings;
  const auto found = settings.find(name);
  if (found == settings.end()) return fallback;
  return found->second.is_string() ? found->second.get<std::string>() : Dump(found->second);
}

}  // namespace protium
