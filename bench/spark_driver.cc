// SPDX-License-Identifier: Apache-2.0
// The driver of bench_spark. Responds to each line of its stdin with {"seconds": ...}:
//   check SHAPE ROWS      rows through a task and back, whose number and sums must be right
//   map SHAPE ROWS        the same into Spark's sink "noop"
//   hand files|stream N   N wide rows, from the end of ETL until both ranks have packed them
//   first plain|torch     the first task of a new session, from its submission to its rows
//   bundle plain|torch    makes the executors' bundle, unless it is in the cache
// SHAPE is "two" (2 x float64) or "wide" (200 x float32).
#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <sstream>
#include <string>

#include "base/fault.h"
#include "bench/ranks.h"
#include "os/library.h"
#include "spark/engine/spark_engine.h"
#include "spark/engine/spark_session.h"
#include "spark/engine/tasks_run.h"
#include "spark/ship/map_over.h"

namespace protium {
namespace {

constexpr int32_t kPartitions = 2;
constexpr int32_t kRanks = 2;
constexpr int kWide = 200;

struct Shape {
  SchemaPtr schema;
  std::vector<std::string> columns;  // In SQL, over range()'s id.
};

Result<Shape> FindShape(const std::string& name) {
  if (name != "two" && name != "wide") return Status::Invalid("no shape is called ", name);
  const bool two = name == "two";
  Shape shape;
  arrow::FieldVector fields;
  for (int i = 0; i < (two ? 2 : kWide); ++i) {
    const std::string column = fmt::format("c{}", i);
    fields.push_back(arrow::field(column, two ? arrow::float64() : arrow::float32()));
    shape.columns.push_back(
        fmt::format("CAST(id + {} AS {}) AS {}", i, two ? "DOUBLE" : "FLOAT", column));
  }
  shape.schema = arrow::schema(fields);
  return shape;
}

Result<double> Cell(const arrow::RecordBatch& batch, int column) {
  PT_LET(const auto value, batch.column(column)->GetScalar(0));
  PT_LET(const auto number, value->CastTo(arrow::float64()));
  return static_cast<const arrow::DoubleScalar&>(*number).value;
}

Status Expect(const std::string& what, double value, double expected) {
  if (value == expected) return Status::OK();
  return Status::Invalid(what, " is ", value, " where it must be ", expected);
}

class SparkBench {
 public:
  SparkBench(std::string address, std::filesystem::path folder,
             std::unique_ptr<SparkSession> session)
      : address_(std::move(address)),
        folder_(std::move(folder)),
        session_(std::move(session)),
        deployment_(*session_, {}, {}) {}

  Result<double> Answer(const std::string& line) {
    std::istringstream words(line);
    std::string verb, what;
    int64_t rows = 0;
    words >> verb >> what >> rows;
    if (verb == "check") return Check(what, rows);
    if (verb == "map") return Map(what, rows);
    if (verb == "hand") return Hand(what == "files" ? RowsBy::kFiles : RowsBy::kStream, rows);
    if (verb == "first") return First(what == "torch");
    if (verb == "bundle") return MakeBundle(what == "torch");
    return Status::Invalid("not understood: ", line);
  }

 private:
  // Sends `rows` rows of the shape through the task "same".
  Result<connect::Relation> Mapped(const std::string& name, int64_t rows) {
    PT_LET(const Shape shape, FindShape(name));
    PT_TRY(deployment_.Use(false, {}));
    const SparkCommand command{.task = "same", .output = shape.schema};
    return MapOver(connect::Project(connect::Range(0, rows, kPartitions), shape.columns),
                   *shape.schema, command, session_->version(), {});
  }

  Result<double> Check(const std::string& name, int64_t rows) {
    PT_LET(const auto mapped, Mapped(name, rows));
    PT_LET(const Shape shape, FindShape(name));
    const int last = shape.schema->num_fields() - 1;
    const std::string sums = fmt::format(
        "SELECT count(1) AS n, sum(CAST(c0 AS DOUBLE)) AS first, "
        "sum(CAST(c{} AS DOUBLE)) AS last FROM mapped",
        last);
    const Stopwatch watch;
    const auto open = [&] {
      return session_->Execute(connect::Sql(sums, {{"mapped", mapped}}), {.name = "check"}, {});
    };
    PT_LET(const auto stream, StreamWithTasks(open, deployment_, {}, {}));
    PT_LET(const auto batches, Collect(*stream));
    const double seconds = watch.seconds();
    if (batches.size() != 1) return Status::Invalid("no sums came");
    const double sum = double(rows) * double(rows - 1) / 2;
    const double wanted[] = {double(rows), sum, sum + double(rows) * last};
    for (int i = 0; i < 3; ++i) {
      PT_LET(const double value, Cell(*batches[0], i));
      PT_TRY(Expect(fmt::format("sum {} of \"{}\"", i, name), value, wanted[i]));
    }
    return seconds;
  }

  Result<double> Map(const std::string& name, int64_t rows) {
    PT_LET(const auto mapped, Mapped(name, rows));
    const auto sink =
        connect::Write(mapped, {.format = "noop", .mode = connect::SaveMode::kReplace});
    const Stopwatch watch;
    PT_TRY(session_->Command(sink, {.name = "map"}, {}).status());
    return watch.seconds();
  }

  Result<double> Hand(RowsBy way, int64_t rows) {
    PT_LET(const Shape shape, FindShape("wide"));
    PT_LET(const auto engine,
           OpenSparkEngine({.address = address_,
                            .folder = folder_,
                            .options = FieldsToJson(SparkSettings{.rows = way})}));
    const Plan etl = MakePlan(
        Materialize{"etl"},
        {MakePlan(Sql{.text = fmt::format("SELECT {} FROM range(0, {}, 1, {})",
                                          fmt::join(shape.columns, ", "), rows, kPartitions)})});
    const Plan count =
        MakePlan(Sql{.text = "SELECT count(1) AS n FROM etl", .names = {"etl"}}, {etl});
    PT_TRY(engine->Run(count, {}).status());
    return Gang(*engine, etl, rows);
  }

  // Measures until the later rank has packed.
  Result<double> Gang(Engine& engine, const Plan& etl, int64_t rows) {
    const Plan pack =
        MakePlan(MapTask{.task = "pack",
                         .output = arrow::schema({arrow::field("rows", arrow::int64())}),
                         .gang = GangSpec{.workers = kRanks}},
                 {etl});
    int64_t at = 0;
    Call call;
    call.events = [&at](const Json& event) {
      if (event.value("name", "") == "packed") at = std::max(at, event["value"].get<int64_t>());
    };
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    PT_LET(const auto stream, engine.Execute(pack, call));
    PT_LET(const auto batches, Collect(*stream));
    double packed = 0;
    for (const auto& batch : batches) {
      for (int64_t i = 0; i < batch->num_rows(); ++i) {
        PT_LET(const double value, Cell(*batch->Slice(i), 0));
        packed += value;
      }
    }
    PT_TRY(Expect("the number of packed rows", packed, double(rows)));
    return std::chrono::duration<double>(std::chrono::nanoseconds(at) - since).count();
  }

  Result<double> First(bool torch) {
    constexpr int64_t kRows = 1000;
    PT_LET(const auto session, OpenSession(address_, {}));
    Deployment deployment(*session, {}, {});
    const auto ids = arrow::schema({arrow::field("id", arrow::int64())});
    const SparkCommand command{.task = torch ? "score" : "same", .output = ids};
    const Stopwatch watch;
    PT_TRY(deployment.Use(torch, {}));
    PT_LET(const auto mapped,
           MapOver(connect::Range(0, kRows, kPartitions), *ids, command, session->version(), {}));
    const auto open = [&] { return session->Execute(mapped, {.name = "first"}, {}); };
    PT_LET(const auto stream, StreamWithTasks(open, deployment, {}, {}));
    PT_LET(const auto batches, Collect(*stream));
    const double seconds = watch.seconds();
    int64_t rows = 0;
    for (const auto& batch : batches) rows += batch->num_rows();
    PT_TRY(Expect("the number of rows", double(rows), double(kRows)));
    return seconds;
  }

  Result<double> MakeBundle(bool torch) {
    PT_LET(const auto cache, BundleCache());
    const Stopwatch watch;
    if (torch) {
      PT_TRY(MakeTorchBundle(OwnLibraryFolder() / "libprotium_torch.so", cache).status());
    } else {
      PT_TRY(MakeProgramBundle("/proc/self/exe", cache).status());
    }
    return watch.seconds();
  }

  const std::string address_;
  const std::filesystem::path folder_;
  const std::unique_ptr<SparkSession> session_;
  Deployment deployment_;
};

Status Serve(const std::string& address, const std::filesystem::path& folder) {
  PT_LET(auto session, OpenSession(address, {}));
  SparkBench bench(address, folder, std::move(session));
  for (std::string line; std::getline(std::cin, line);) {
    PT_LET(const double seconds, bench.Answer(line));
    std::cout << Dump({{"seconds", seconds}}) << std::endl;
  }
  return Status::OK();
}

}  // namespace
}  // namespace protium

extern "C" int protium_bench_spark(int argc, char** argv) {
  using protium::Status;
  if (argc != 3) return protium::ExitCode(Status::Invalid("usage: bench_spark ADDRESS FOLDER"));
  const Status status = protium::Serve(argv[1], argv[2]);
  if (!status.ok()) std::cerr << protium::Render(protium::FaultOf(status));
  return status.ok() ? 0 : 1;
}
