// SPDX-License-Identifier: Apache-2.0
// `protium cache`: what runs have kept for the next ones (room store): lists it, says why a job
// would or would not take it, verifies it, removes it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "app/run/requests.h"
#include "app/verb.h"
#include "app/verbs/cache_audit.h"
#include "app/verbs/cache_why.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/units.h"
#include "frame/named_tables.h"
#include "job/frames.h"
#include "job/read_job.h"
#include "os/file.h"
#include "os/temporary_folder.h"
#include "run/terminal.h"
#include "store/local_store.h"
#include "terminal/printing.h"
#include "terminal/text_table.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr size_t kShownDigits = 12;

Result<std::unique_ptr<LocalStore>> OpenUsersStore() {
  const fs::path folder = DefaultStoreFolder();
  if (!folder.empty()) return LocalStore::Open({.folder = folder});
  return Fail({.exit = Exit::kUsage,
               .what = "nothing is kept: the store is switched off",
               .why = "PROTIUM_STORE is \"off\", or neither XDG_CACHE_HOME nor HOME is set",
               .fix = "unset PROTIUM_STORE"});
}

// The names of objects that refs stand for, as users say them: without what they begin with.
using ValuesByName = std::multimap<std::string, std::string>;

std::string ShownName(const std::string& ref) { return ref.substr(ref.rfind('/') + 1); }

ValuesByName NamesIn(LocalStore& store) {
  ValuesByName names;
  for (const Ref& ref : store.refs().List()) names.emplace(ref.object, ref.name);
  return names;
}

std::vector<std::string> NamesOf(const ValuesByName& names, const std::string& object) {
  std::vector<std::string> found;
  const auto [begin, end] = names.equal_range(object);
  for (auto it = begin; it != end; ++it) found.push_back(it->second);
  return found;
}

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + ShownName(each);
  return text;
}

Json AsJson(const Manifest& manifest, int64_t uses, const std::vector<std::string>& names) {
  return {{"object", manifest.cause},
          {"names", names},
          {"kind", manifest.kind},
          {"run", manifest.run},
          {"made", manifest.made},
          {"bytes", manifest.bytes},
          {"seconds", manifest.seconds},
          {"uses", uses},
          {"rows", WholeAt(manifest.facts, "rows", -1)},
          {"inputs", FieldsToJson(manifest.inputs)}};
}

Status ListObjects(const Arguments& arguments, LocalStore& store) {
  std::vector<std::vector<std::string>> rows = {
      {"object", "kind", "name", "rows", "size", "made in", "uses", "made", "by run"}};
  const ValuesByName names = NamesIn(store);
  Json list = Json::array();
  int64_t bytes = 0;
  for (const Manifest& each : store.List()) {
    const auto facts = store.Facts(each.cause);
    // The first use was its making.
    const int64_t uses = facts.ok() && *facts ? (*facts)->uses - 1 : 0;
    bytes += each.bytes;
    const std::vector<std::string> own = NamesOf(names, each.cause);
    list.push_back(AsJson(each, uses, own));
    const bool counted = each.facts.contains("rows");
    rows.push_back({each.cause.substr(0, kShownDigits), each.kind, Listed(own),
                    counted ? Grouped(WholeAt(each.facts, "rows")) : "",
                    BytesText(double(each.bytes)), Seconds(each.seconds), std::to_string(uses),
                    DateText(each.made), each.run});
  }
  PT_LET(const int64_t most, store.MostBytes());
  if (arguments.Has("--json")) {
    const Json whole = {{"folder", store.folder().string()},
                        {"bytes", bytes},
                        {"most_bytes", most},
                        {"objects", list}};
    return PrintResult(Dump(whole) + "\n");
  }
  const size_t count = rows.size() - 1;
  const std::string table =
      count == 0
          ? ""
          : FittedTable(std::move(rows), {false, false, false, true, true, true, true}) + "\n";
  return PrintResult(table + fmt::format("{} object{}, {} of at most {} in {}\n", count,
                                         PluralOf(int64_t(count)), BytesText(double(bytes)),
                                         BytesText(double(most)), store.folder().string()));
}

Status WhyNamed(const Arguments& arguments, const Ref& ref, LocalStore& store) {
  const auto kept = store.Peek(ref.object);
  if (!kept) {
    const std::string name = ShownName(ref.name);
    return Fail({.exit = Exit::kInput,
                 .what = "the table kept as " + name + " is damaged or gone",
                 .fix = "keep it again, or give up the name: protium cache rm " + name});
  }
  const Json about = DescribeNamed(ref, *kept, store.inputs());
  return PrintResult(arguments.Has("--json") ? Dump(about) + "\n" : NamedText(about));
}

Status Why(const Arguments& arguments, const Invocation& invocation, LocalStore& store) {
  if (arguments.num_operands() < 2) {
    return Fail({.exit = Exit::kUsage,
                 .what = "cache why needs a job, or the name of a kept table",
                 .fix = invocation.name + " cache why flights.toml"});
  }
  PT_LET(const auto named, store.refs().Get(kTableRef + arguments.operand(1)));
  if (named && !IsRegularFile(arguments.operand(1))) return WhyNamed(arguments, *named, store);
  PT_LET(const Job job, ReadJob(arguments.operand(1), arguments.Values("--set")));
  PT_LET(RunRequest request, RequestForJob(job, invocation));
  PT_LET(const std::unique_ptr<Session> session, OpenSession(request.session));
  PT_LET(const JobFrames frames, OpenJob(*session, job));
  PT_LET(const Json plan, PlanJob(*session, job, frames));
  PT_LET(const Json tables, KeptForJob(*session, job, frames, plan));
  if (arguments.Has("--json")) return PrintResult(Dump(tables) + "\n");
  const std::vector<Manifest> kept = store.List();
  std::string text;
  for (const Json& each : tables) text += WhyText(each, kept);
  return PrintResult(text.empty() ? "this job keeps no tables\n" : text);
}

std::string DroppedText(const std::string& object) {
  return fmt::format("{} was damaged: it is removed, and will be made again when it is needed\n",
                     object.substr(0, kShownDigits));
}

Status VerifySome(const Arguments& arguments, LocalStore& store) {
  PT_LET(const Json found, AuditSome(store));
  if (arguments.Has("--json")) return PrintResult(Dump(found) + "\n");
  const int64_t checked = WholeAt(found, "checked");
  std::string text =
      fmt::format("{} read, {}\n", Counted(checked, "object"), BytesText(NumberAt(found, "bytes")));
  for (const Json& each : found["damaged"]) text += DroppedText(TextAt(each, "object"));
  return PrintResult(text);
}

Status VerifyAll(const Arguments& arguments, LocalStore& store) {
  int64_t whole = 0;
  Json dropped = Json::array();
  for (const Manifest& each : store.List()) {
    PT_LET(const bool fits, store.Verify(each.cause));
    whole += fits ? 1 : 0;
    if (!fits) dropped.push_back(each.cause);
  }
  if (arguments.Has("--json")) {
    return PrintResult(Dump({{"whole", whole}, {"dropped", dropped}}) + "\n");
  }
  std::string text = fmt::format("{} object{} intact\n", whole, whole == 1 ? " is" : "s are");
  for (const Json& each : dropped) text += DroppedText(each.get<std::string>());
  return PrintResult(text);
}

// Makes the tables of a job anew, in a store of their own, and compares what they hold with what is
// kept under the same names.
Status VerifyJob(const Arguments& arguments, const Invocation& invocation, LocalStore& store) {
  PT_LET(const Job job, ReadJob(arguments.operand(1), arguments.Values("--set")));
  PT_LET(RunRequest request, RequestForJob(job, invocation));
  PT_LET(const TemporaryFolder elsewhere, TemporaryFolder::Make());
  request.session.store = elsewhere.path() / "store";
  PT_LET(const std::unique_ptr<Session> session, OpenSession(request.session));
  PT_LET(const JobFrames frames, OpenJob(*session, job));
  PT_TRY(frames.train.Count().status());
  PT_LET(const auto made, LocalStore::Open({.folder = request.session.store}));
  std::string text;
  for (const Manifest& each : made->List()) {
    if (each.kind == "spark_table") {
      text += "the table that Spark made is not compared: its rows have no name of their own\n";
    }
    const auto kept = each.kind == "table" ? store.Peek(each.cause) : std::nullopt;
    if (!kept) continue;
    if (kept->content != each.content) {
      PT_TRY(store.Remove(each.cause).status());
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("the table that {} has kept holds other rows than its SQL "
                                       "makes now",
                                       kept->run),
                   .where = each.cause,
                   .why = "something decides its rows that is not in its name",
                   .fix = "report it with the job; models of runs that took the table are not to "
                          "be trusted",
                   .kept = "the table is dropped: the next run makes it"});
    }
    text += fmt::format("the table of {} holds the rows that its SQL makes, {}\n", kept->run,
                        Grouped(WholeAt(kept->facts, "rows")));
  }
  return PrintResult(text.empty() ? "nothing of this job is kept\n" : text);
}

// Whether the words of `cache rm` name an object itself: by the beginning of its name, or by one
// that a user gave it.
bool IsNamed(const Manifest& object, const std::vector<std::string>& own,
             const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return (word.size() >= 4 && object.cause.starts_with(word)) ||
           std::ranges::any_of(own, [&](const auto& each) { return ShownName(each) == word; });
  });
}

bool CameFrom(const Manifest& object, const std::vector<std::string>& files) {
  return std::ranges::any_of(files, [&](const std::string& file) {
    const std::string path = fs::absolute(file).lexically_normal().string();
    return std::ranges::any_of(object.inputs, [&](const StoredInput& input) {
      return fs::path(input.path).lexically_normal().string() == path;
    });
  });
}

// Drops the names among `words` whose objects are lost.
Status DropLost(const std::vector<std::string>& words, LocalStore& store) {
  for (const Ref& ref : store.refs().List()) {
    const bool asked = std::ranges::count(words, ShownName(ref.name)) > 0;
    if (asked && !store.Peek(ref.object)) PT_TRY(store.refs().Drop(ref.name, ref.object).status());
  }
  return Status::OK();
}

Status RemoveSome(const Arguments& arguments, LocalStore& store) {
  std::vector<std::string> words;
  for (size_t i = 1; i < arguments.num_operands(); ++i) words.push_back(arguments.operand(i));
  const std::vector<std::string> files = arguments.Values("--input");
  if (words.empty() && files.empty() && !arguments.Has("--all")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "cache rm needs an object, a run, --input FILE or --all",
                 .fix = "protium cache ls lists objects and runs"});
  }
  int64_t removed = 0, bytes = 0, read = 0;
  std::vector<std::string> stay;
  const ValuesByName names = NamesIn(store);
  for (const Manifest& each : store.List()) {
    const std::vector<std::string> own = NamesOf(names, each.cause);
    const bool named = IsNamed(each, own, words);
    const bool other =
        arguments.Has("--all") || std::ranges::count(words, each.run) > 0 || CameFrom(each, files);
    if (!named && !other) continue;
    // What has a name cannot be made again by the next run.
    if (!named && !own.empty()) {
      stay.insert(stay.end(), own.begin(), own.end());
      continue;
    }
    for (const std::string& name : own) PT_TRY(store.refs().Drop(name, each.cause).status());
    PT_LET(const bool gone, store.Remove(each.cause));
    removed += gone ? 1 : 0;
    read += gone ? 0 : 1;
    bytes += gone ? each.bytes : 0;
  }
  PT_TRY(DropLost(words, store));
  // They do not say which files they are about.
  if (arguments.Has("--all") || !files.empty()) store.ForgetAnswers();
  std::string text = fmt::format("{} object{} removed, {}\n", removed, PluralOf(removed),
                                 BytesText(double(bytes)));
  if (read > 0) text += fmt::format("{} remain{}: in use by a run\n", read, read == 1 ? "s" : "");
  if (!stay.empty()) {
    text += fmt::format("{} remain{}: named objects are removed only by name\n", Listed(stay),
                        stay.size() == 1 ? "s" : "");
  }
  return PrintResult(text);
}

Status ShowCache(const Arguments& arguments, const Invocation& invocation) {
  const std::string what = arguments.operand(0).empty() ? "ls" : arguments.operand(0);
  const std::vector<std::string> known = {"ls", "why", "verify", "rm"};
  if (std::ranges::find(known, what) == known.end()) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("cache has no \"{}\"", what),
                 .fix = Suggest(what, known)});
  }
  PT_LET(const std::unique_ptr<LocalStore> store, OpenUsersStore());
  if (what == "why") return Why(arguments, invocation, *store);
  if (what == "verify" && arguments.Has("--sample")) return VerifySome(arguments, *store);
  if (what == "verify" && arguments.num_operands() > 1) {
    return VerifyJob(arguments, invocation, *store);
  }
  if (what == "verify") return VerifyAll(arguments, *store);
  if (what == "rm") return RemoveSome(arguments, *store);
  return ListObjects(arguments, *store);
}

}  // namespace

CommandVerb CacheVerb() {
  return {
      {.name = "cache",
       .operands = {"[WHAT]", "[WHICH...]"},
       .flags = {{"--input", "FILE", "for rm: everything made from this file", ""},
                 {"--all", "", "for rm: everything without a name", ""},
                 {"--sample", "", "for verify: reads some of it, slowly, for up to a minute", ""},
                 SetFlag(),
                 JsonFlag()},
       .says = "shows and removes what runs have kept for later runs",
       .more = "WHAT is one of\n"
               "  ls           lists what is kept\n"
               "  why JOB      says which tables the job would reuse and, for the others, what\n"
               "               has changed\n"
               "  why NAME     says what the table kept under this name was made from, and\n"
               "               whether that has changed since\n"
               "  verify       reads everything, and removes what is damaged\n"
               "  verify JOB   computes the job's table again and compares it with the kept one\n"
               "  rm WHICH...  removes objects, or those of a run; named tables and trainings\n"
               "               only by their names\n"
               "\n"
               "The store is $PROTIUM_STORE, else $XDG_CACHE_HOME/protium/store or "
               "~/.cache/protium/store;\n"
               "with PROTIUM_STORE=off nothing is kept or reused.\n"},
      ShowCache};
}

}  // namespace protium
