// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/capacity.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include "base/fault.h"

namespace protium {
namespace {

using Values = std::map<std::string, std::optional<std::string>>;

std::string FindText(const Values& values, const char* key) {
  const auto found = values.find(key);
  return found != values.end() && found->second ? *found->second : "";
}

int32_t ParseNumber(const std::string& text, int32_t otherwise) {
  int32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : otherwise;
}

// Returns the numbers between the brackets of "local[4]" or "local-cluster[2,3,1024]".
std::vector<int32_t> NumbersIn(const std::string& master) {
  std::vector<int32_t> numbers;
  size_t at = master.find('[');
  while (at != std::string::npos && at + 1 < master.size()) {
    const size_t end = master.find_first_of(",]", at + 1);
    if (end == std::string::npos) break;
    numbers.push_back(ParseNumber(master.substr(at + 1, end - at - 1), 0));
    at = master[end] == ',' ? end : std::string::npos;
  }
  return numbers;
}

// A cluster's default number of partitions is the number of its cores, at least 2
// (CoarseGrainedSchedulerBackend.defaultParallelism), unless spark.default.parallelism is set.
Result<int32_t> AskCores(SparkSession& session, const Call& call) {
  PT_LET(const auto stream,
         session.Execute(connect::Sql("SELECT count(DISTINCT core) AS cores FROM "
                                      "(SELECT spark_partition_id() AS core FROM range(100000))"),
                         {.name = "count the cluster's cores"}, call));
  PT_LET(const auto batches, Collect(*stream));
  for (const auto& batch : batches) {
    if (batch->num_rows() == 0 || batch->column(0)->type_id() != arrow::Type::INT64) continue;
    return int32_t(static_cast<const arrow::Int64Array&>(*batch->column(0)).Value(0));
  }
  return Status::UnknownError("Spark counted no cores");
}

Status RefuseGang(const std::string& what, const std::string& why, const std::string& fix) {
  return Fail({.exit = Exit::kUsage, .what = what, .where = "gang", .why = why, .fix = fix});
}

// A larger number means no limit.
constexpr int32_t kMostExecutors = 1'000'000;
constexpr int32_t kUnlimited = std::numeric_limits<int32_t>::max();

// The number of ranks that the idle cluster could run at once.
struct Seats {
  int32_t by_cores = 0;
  int32_t by_gpus = kUnlimited;
};

int32_t Executors(const Capacity& capacity) {
  if (capacity.dynamic) return capacity.most_executors;
  return capacity.cores_per_executor > 0 ? capacity.cores / capacity.cores_per_executor : 0;
}

// A rank's cores and devices must be on one executor, so the remainder of each is lost.
int32_t SeatsBy(const Capacity& capacity, int32_t of_executor, int32_t of_rank) {
  const int32_t in_one = of_executor / of_rank;
  const bool endless = capacity.dynamic && capacity.most_executors == 0 && in_one > 0;
  return endless ? kUnlimited : Executors(capacity) * in_one;
}

Seats CountSeats(const GangSpec& gang, const Capacity& capacity) {
  Seats seats;
  if (capacity.cores_per_executor > 0) {
    seats.by_cores = SeatsBy(capacity, capacity.cores_per_executor, gang.cores_per_worker);
  } else {
    seats.by_cores = capacity.dynamic ? kUnlimited : capacity.cores / gang.cores_per_worker;
  }
  if (gang.gpus_per_worker > 0) {
    seats.by_gpus = SeatsBy(capacity, capacity.gpus_per_executor, gang.gpus_per_worker);
  }
  return seats;
}

std::string CoresText(const Capacity& capacity) {
  const int32_t executors = Executors(capacity);
  if (executors == 0 && !capacity.dynamic) return fmt::format("{}", capacity.cores);
  if (executors == 0) return fmt::format("executors of {}", capacity.cores_per_executor);
  return fmt::format("{} executors of {}", executors, capacity.cores_per_executor);
}

std::string GpusText(const Capacity& capacity) {
  if (capacity.gpus_per_executor == 0) return "none";
  const int32_t executors = Executors(capacity);
  if (executors == 0) return fmt::format("executors of {}", capacity.gpus_per_executor);
  return fmt::format("{} executors of {}", executors, capacity.gpus_per_executor);
}

}  // namespace

Result<Capacity> ReadCapacity(SparkSession& session, const Call& call) {
  PT_LET(const Values values,
         session.GetConf({"spark.master", "spark.task.cpus", "spark.executor.cores",
                          "spark.executor.resource.gpu.amount", "spark.dynamicAllocation.enabled",
                          "spark.dynamicAllocation.maxExecutors"},
                         call));
  Capacity capacity{
      .master = FindText(values, "spark.master"),
      .cores_per_task = ParseNumber(FindText(values, "spark.task.cpus"), 1),
      .gpus_per_executor = ParseNumber(FindText(values, "spark.executor.resource.gpu.amount"), 0),
      .cores_per_executor = ParseNumber(FindText(values, "spark.executor.cores"), 0),
      .dynamic = FindText(values, "spark.dynamicAllocation.enabled") == "true",
      .most_executors = ParseNumber(FindText(values, "spark.dynamicAllocation.maxExecutors"), 0)};
  // Spark's default is the largest possible number.
  if (capacity.most_executors > kMostExecutors) capacity.most_executors = 0;
  const std::vector<int32_t> numbers = NumbersIn(capacity.master);
  if (capacity.master.starts_with("local-cluster[") && numbers.size() == 3) {
    capacity.cores = numbers[0] * numbers[1];
    capacity.cores_per_executor = numbers[1];
  } else if (capacity.local() && !numbers.empty() && numbers[0] > 0) {
    capacity.cores = numbers[0];
  } else {
    PT_LET(capacity.cores, AskCores(session, call));
  }
  return capacity;
}

Result<Capacity> CapacityOf(const GangExecutors& own, const Capacity& session) {
  if (!own.wanted()) return session;
  if (!session.dynamic) {
    return Fail({.exit = Exit::kUsage,
                 .what = "Spark starts no executors for a gang: spark.dynamicAllocation.enabled is "
                         "not true",
                 .where = "engine.spark.executors",
                 .fix = "start the server with it, or leave engine.spark.executors out"});
  }
  Capacity capacity = session;
  if (own.cores > 0) capacity.cores_per_executor = own.cores;
  capacity.gpus_per_executor = own.gpus;
  capacity.own_executors = true;
  return capacity;
}

Status CheckFits(const GangSpec& gang, const Capacity& capacity) {
  if (gang.servers > 0) {
    return RefuseGang(fmt::format("gang.servers is {}, and on Spark there are none", gang.servers),
                      "servers share memory with the workers of one machine",
                      "set gang.servers=0, or run on this machine: leave engine out");
  }
  if (!gang.memory_per_worker.empty()) {
    return RefuseGang(
        fmt::format("gang.memory_per_worker is \"{}\", and on Spark no pool counts it",
                    gang.memory_per_worker),
        "executors have the memory that the server gives them", "set gang.memory_per_worker=\"\"");
  }
  // The server refuses TaskResourceProfiles on a local master.
  if (capacity.local() && gang.cores_per_worker != capacity.cores_per_task) {
    return RefuseGang(
        fmt::format("gang.cores_per_worker is {}, and a server on {} gives every task {}",
                    gang.cores_per_worker, capacity.master, capacity.cores_per_task),
        "resource profiles need executors of their own", "set gang.cores_per_worker=1");
  }
  if (gang.workers.max < 1 || gang.cores_per_worker < 1 || gang.gpus_per_worker < 0) {
    return RefuseGang(
        "gang.workers and gang.cores_per_worker must be at least 1, and "
        "gang.gpus_per_worker at least 0",
        "", "");
  }
  const Seats seats = CountSeats(gang, capacity);
  if (seats.by_cores < gang.workers.min) {
    return RefuseGang(
        fmt::format("the gang needs {} times {} cores at once, and the cluster has {}",
                    gang.workers.min, gang.cores_per_worker, CoresText(capacity)),
        "all ranks of a gang run at the same time",
        seats.by_cores > 0 ? fmt::format("set gang.workers={}", seats.by_cores)
                           : "lower gang.cores_per_worker");
  }
  if (seats.by_gpus < gang.workers.min) {
    return RefuseGang(fmt::format("the gang needs {} times {} GPUs at once, and the cluster has {}",
                                  gang.workers.min, gang.gpus_per_worker, GpusText(capacity)),
                      "",
                      "set gang.gpus_per_worker=0, or start executors with "
                      "spark.executor.resource.gpu.amount");
  }
  return Status::OK();
}

Json PlacementOn(const GangSpec& gang, const Capacity& capacity, const std::string& rows_by) {
  Json ranks = Json::array();
  for (int32_t rank = 0; rank < gang.workers.max; ++rank) {
    Json gpus = Json::array();
    for (int32_t i = 0; i < gang.gpus_per_worker; ++i) gpus.push_back("any");
    ranks.push_back({{"rank", rank},
                     {"host", "an executor"},
                     {"cores", gang.cores_per_worker},
                     {"gpus", std::move(gpus)}});
  }
  const bool lease = NeedsLease(gang, capacity);
  const std::string where = capacity.own_executors ? "of the gang's own, started by" : "of";
  const std::string starts =
      lease ? fmt::format("ranks are ordinary tasks, and {} of them begin", gang.workers.min)
            : "all ranks start at once, as a barrier stage";
  return {{"ranks", std::move(ranks)},
          {"note", fmt::format("Spark chooses the executors {} {} when the gang starts: {}; rows "
                               "reach the ranks by {}",
                               where, capacity.master, starts, lease ? "files" : rows_by)}};
}

}  // namespace protium
