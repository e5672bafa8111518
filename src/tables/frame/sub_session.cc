// SPDX-License-Identifier: Apache-2.0
#include "frame/sub_session.h"

#include <utility>

#include "os/file.h"

namespace protium {
namespace {

// The parent's engine, on loan: engines are thread-safe, and everyone who uses one knows its kept
// tables.
class LentEngine : public Engine {
 public:
  explicit LentEngine(Engine& engine) : engine_(engine) {}
  Result<SchemaPtr> Analyze(const Plan& plan, const Call& call) override {
    return engine_.Analyze(plan, call);
  }
  Result<BatchStreamPtr> Execute(const Plan& plan, const Call& call) override {
    return engine_.Execute(plan, call);
  }
  Result<int64_t> Run(const Plan& plan, const Call& call) override {
    return engine_.Run(plan, call);
  }
  Result<EnginePlan> Explain(const Plan& plan, const Call& call) override {
    return engine_.Explain(plan, call);
  }
  Result<Admission> Admit(const Demand& demand, const Call& call) override {
    return engine_.Admit(demand, call);
  }
  Result<std::vector<DatabaseTable>> ListTables(const Source& source, const Call& call) override {
    return engine_.ListTables(source, call);
  }
  Result<Source> Pin(const Source& source, const Call& call) override {
    return engine_.Pin(source, call);
  }
  std::string address() const override { return engine_.address(); }

 private:
  Engine& engine_;
};

}  // namespace

// The parent records the inputs: a sub-session reads what was opened there.
Result<std::unique_ptr<Session>> OpenSubSession(Session& parent, SubSessionOptions options) {
  SessionState& state = StateOf(parent);
  PT_TRY(MakeFolder(options.folder));
  PT_LET(InputRecord inputs, InputRecord::Open({}, false));
  PT_LET(SourceRecord sources, SourceRecord::Open({}, false));
  SessionOptions own = state.options();
  // Removed with the run: the permanent folder of the sub-session must not hold scratch files.
  if (own.spill.empty()) own.spill = own.folder / "spill";
  own.folder = std::move(options.folder);
  own.resume = options.resume;
  own.rows_memory_bytes = options.rows_memory_bytes;
  own.shared_rows = std::move(options.shared_rows);
  own.profile = false;
  own.settings.clear();
  own.started = Clock::now();
  own.call.events = std::move(options.events);
  if (options.stop) own.call.stop = *std::move(options.stop);
  return std::make_unique<Session>(
      std::make_unique<SessionState>(std::move(own), std::make_unique<LentEngine>(state.engine()),
                                     std::move(inputs), std::move(sources)));
}

}  // namespace protium
