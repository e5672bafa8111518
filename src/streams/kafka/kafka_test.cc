// SPDX-License-Identifier: Apache-2.0
// Against a real broker, one for all tests; each has topics of its own.
#include <arrow/array.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <set>
#include <thread>

#include "base/fault.h"
#include "kafka/open.h"
#include "kafka/testing/topic_test.h"
#include "kafka/topic_sink.h"
#include "kafka/topic_source.h"

namespace protium {
namespace {

using ::testing::HasSubstr;

std::vector<int64_t> UpTo(int64_t count) {
  std::vector<int64_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

}  // namespace

void Kafka::Live(Log& log, Dies dies) {
  const auto source = Source(SourceOptions(), log.past);
  const auto sink = Sink(SinkOptions(), *source->schema());
  if (log.open) {
    const auto newest = sink->Newest();
    ASSERT_TRUE(newest.ok()) << newest.status();
    ASSERT_TRUE(*newest);
    ASSERT_LE(**newest, log.number);
    Finish(log, *source, *sink, **newest >= log.number);
  }
  while (true) {
    const auto next = source->Next({.rows = 50}, milliseconds(100), {});
    ASSERT_TRUE(next.ok()) << next.status();
    if (next->is_null()) return;
    log.open = *next;
    if (dies == Dies::kBegun) return;
    const auto read = source->Read(*next);
    ASSERT_TRUE(read.ok()) << read.status();
    if (dies == Dies::kRead) return;
    if (dies == Dies::kWriting) {
      return broker_->SendInTransaction(out_, Numbered(7000, 20, 2), "protium-stream-" + Name(),
                                        RealBroker::End::kLeave);
    }
    const Status written = sink->Write({.number = log.number, .rows = read->rows});
    ASSERT_TRUE(written.ok()) << written;
    if (dies == Dies::kWritten) return;
    End(log, *source);
  }
}

void Kafka::Finish(Log& log, StreamSource& source, StreamSink& sink, bool written) {
  const auto read = source.Read(*log.open);
  ASSERT_TRUE(read.ok()) << read.status();
  if (!written) {
    const Status status = sink.Write({.number = log.number, .rows = read->rows});
    ASSERT_TRUE(status.ok()) << status;
  }
  End(log, source);
}
void Kafka::End(Log& log, StreamSource& source) {
  log.past.stretches.push_back(*log.open);
  ++log.number;
  ASSERT_TRUE(source.Done(*log.open).ok());
  log.open.reset();
}

namespace {

TEST_F(Kafka, DeathsAtAnyMomentLoseNothingAndWriteNothingTwice) {
  broker_->MakeTopic(in_, 3);
  broker_->MakeTopic(out_, 2);
  Log log;
  int64_t sent = 0;
  for (const Dies dies : {Dies::kBegun, Dies::kRead, Dies::kWriting, Dies::kWritten, Dies::kWriting,
                          Dies::kBegun, Dies::kWritten, Dies::kNot}) {
    broker_->Send(in_, Numbered(sent, 120, 3));
    sent += 120;
    Live(log, dies);
  }
  EXPECT_EQ(Written(), UpTo(sent));
  EXPECT_FALSE(log.open);
}

TEST_F(Kafka, StretchesReadAgainGiveTheSameRows) {
  broker_->MakeTopic(in_, 3);
  broker_->Send(in_, Numbered(0, 300, 3));
  const auto source = Source(SourceOptions());
  Log log;
  std::vector<std::shared_ptr<arrow::RecordBatch>> first;
  for (int64_t rows = 0; rows < 300; rows += first.back()->num_rows()) {
    log.past.stretches.push_back(NextOf(*source, {.rows = 70}));
    first.push_back(source->Read(log.past.stretches.back())->rows);
    ASSERT_GT(first.back()->num_rows(), 0);
    ASSERT_TRUE(source->Done(log.past.stretches.back()).ok());
  }
  const auto again = Source(SourceOptions(), log.past);
  for (size_t i = first.size(); i-- > 0;) {
    const auto read = again->Read(log.past.stretches[i]);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(read->rows->Equals(*first[i])) << log.past.stretches[i];
  }
  const auto state = Source(SourceOptions(), {.state = source->State()});
  EXPECT_TRUE(state->Next({}, milliseconds(50), {})->is_null());
  EXPECT_EQ(state->Lag()->waiting, 0);
}

TEST_F(Kafka, ATopicThatIsShortenedBeneathTheOffsetsIsAFaultWithTheFigures) {
  broker_->MakeTopic(in_, 1);
  broker_->Send(in_, Numbered(0, 100, 1));
  const auto source = Source(SourceOptions());
  const Json stretch = NextOf(*source, {.rows = 10});
  broker_->Shorten(in_, 0, 40);

  auto again = OpenTopicSource(SourceOptions());
  const Fault fault = FaultOf((*again)->Start({.stretches = {stretch}}));
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.what, HasSubstr("has lost 30 offsets that were not read: it begins at 40, and "
                                    "the stream continues at 10"));
  const auto earliest = Source(SourceOptions());
  EXPECT_EQ(FaultOf(earliest->Read(stretch).status()).exit, Exit::kInput);
}

TEST_F(Kafka, MessagesOfAbortedTransactionsAreNotRead) {
  broker_->MakeTopic(in_, 1);
  using End = RealBroker::End;
  broker_->SendInTransaction(in_, Numbered(0, 5, 1), "other", End::kCommit);
  broker_->SendInTransaction(in_, Numbered(90, 5, 1), "other", End::kAbort);
  broker_->SendInTransaction(in_, Numbered(5, 5, 1), "other", End::kCommit);
  const auto source = Source(SourceOptions());
  const Json stretch = NextOf(*source, {.rows = 10, .gather = milliseconds(5000)});
  EXPECT_EQ(Ids(*source->Read(stretch)->rows), UpTo(10));
  EXPECT_EQ(stretch["messages"], 10);
  EXPECT_GT(stretch["to"]["0"].get<int64_t>(), 15);
  const auto again = Source(SourceOptions());
  EXPECT_EQ(Ids(*again->Read(stretch)->rows), UpTo(10));
}

TEST_F(Kafka, APoisonedMessageIsADeadLetterWithItsPlace) {
  broker_->MakeTopic(in_, 2);
  broker_->Send(in_, {{.partition = 1, .value = "{\"id\": 1}", .time_ms = 1793534400000},
                      {.partition = 1, .value = "{\"id\": ", .time_ms = 1793534400000},
                      {.partition = 1, .value = std::nullopt, .time_ms = 1793534400000},
                      {.partition = 1, .value = "{\"id\": 2}", .time_ms = 1793534460000}});
  const auto source = Source(SourceOptions());
  const auto read = source->Read(NextOf(*source, {.rows = 4, .gather = milliseconds(5000)}));
  EXPECT_EQ(Ids(*read->rows), (std::vector<int64_t>{1, 2}));
  ASSERT_EQ(read->dead.size(), 2U);
  EXPECT_EQ(read->dead[0].place, in_ + "[1] at 1");
  EXPECT_EQ(read->dead[0].bytes, "{\"id\": ");
  EXPECT_EQ(read->dead[1].place, in_ + "[1] at 2");
  EXPECT_EQ(read->newest_ms, 1793534460000);
}

TEST_F(Kafka, AStreamStartsWhereItIsTold) {
  broker_->MakeTopic(in_, 1);
  std::vector<TestMessage> messages = Numbered(0, 6, 1);
  for (size_t i = 0; i < 6; ++i) messages[i].time_ms = 1793534400000 + int64_t(i) * 60'000;
  broker_->Send(in_, messages);
  const auto first = [&](const std::string& start) {
    KafkaSourceOptions options = SourceOptions();
    options.start = start;
    const auto source = Source(options);
    return Ids(*source->Read(NextOf(*source, {.rows = 1}))->rows).at(0);
  };
  EXPECT_EQ(first("earliest"), 0);
  EXPECT_EQ(first("0:4"), 4);
  EXPECT_EQ(first("2026-11-01 12:01:30"), 2);
  KafkaSourceOptions options = SourceOptions();
  options.start = "latest";
  const auto latest = Source(options);
  EXPECT_TRUE(latest->Next({}, milliseconds(50), {})->is_null());
  broker_->Send(in_, Numbered(6, 1, 1));
  EXPECT_EQ(Ids(*latest->Read(NextOf(*latest))->rows), (std::vector<int64_t>{6}));

  options.start = "yesterday";
  const Fault fault = FaultOf((*OpenTopicSource(options))->Start({}));
  EXPECT_EQ(fault.what, "\"yesterday\" is not a position to start at");
}

TEST_F(Kafka, NewPartitionsAreRead) {
  broker_->MakeTopic(in_, 1);
  broker_->Send(in_, Numbered(0, 3, 1));
  KafkaSourceOptions options = SourceOptions();
  options.look_for_partitions = milliseconds(0);
  const auto source = Source(options);
  const Json before = NextOf(*source, {.rows = 3, .gather = milliseconds(5000)});
  broker_->AddPartitions(in_, 2);
  broker_->Send(in_, {{.partition = 1, .value = "{\"id\": 3}"}});
  Json after;
  for (int tries = 0; tries < 100 && after.is_null(); ++tries) {
    after = *source->Next({}, milliseconds(100), {});
  }
  EXPECT_EQ(Ids(*source->Read(after)->rows), (std::vector<int64_t>{3}));
  EXPECT_EQ(after["to"]["1"], 1);

  // A process that comes later finds it, too.
  const auto again = Source(SourceOptions(), {.stretches = {before}});
  EXPECT_EQ(Ids(*again->Read(NextOf(*again))->rows), (std::vector<int64_t>{3}));
}

TEST_F(Kafka, WhatIsDoneIsCommittedForToolsThatShowLag) {
  broker_->MakeTopic(in_, 1);
  broker_->Send(in_, Numbered(0, 8, 1));
  const auto source = Source(SourceOptions());
  const Json stretch = NextOf(*source, {.rows = 5});
  EXPECT_EQ(source->Lag()->waiting, 3);
  ASSERT_TRUE(source->Done(stretch).ok());
  int64_t committed = -1;
  // Nobody waits for it: the first commit of a group looks for its coordinator.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (committed < 0 && std::chrono::steady_clock::now() < until) {
    committed = broker_->Committed("protium-stream-" + Name(), in_, 0);
  }
  EXPECT_EQ(committed, 5);
}

TEST_F(Kafka, AZombieIsToldThatAnotherHasTakenOver) {
  broker_->MakeTopic(in_, 1);
  broker_->MakeTopic(out_, 1);
  broker_->Send(in_, Numbered(0, 2, 1));
  const auto source = Source(SourceOptions());
  const auto rows = source->Read(NextOf(*source, {.rows = 1}))->rows;
  const auto zombie = Sink(SinkOptions(), *rows->schema());
  ASSERT_TRUE(zombie->Write({.number = 0, .rows = rows}).ok());
  const auto heir = Sink(SinkOptions(), *rows->schema());
  EXPECT_EQ(*heir->Newest(), std::optional<int64_t>(0));
  const Status refused = zombie->Write({.number = 1, .rows = rows});
  EXPECT_EQ(FaultOf(refused).what, "another process has taken over this stream");
  EXPECT_TRUE(heir->Write({.number = 1, .rows = rows}).ok());
  EXPECT_EQ(Written().size(), 2U);
}

void StandStill(int) {
  const timespec time{5, 0};
  ::nanosleep(&time, nullptr);
}

// The thread that writes stands still in the midst of it, until Kafka ends the transaction.
TEST_F(Kafka, ATransactionThatTimesOutIsSaidToAndTheBatchIsWrittenOnce) {
  broker_->MakeTopic(out_, 1);
  arrow::Int64Builder ids;
  constexpr int64_t kRows = 300'000;
  for (int64_t id = 0; id < kRows; ++id) ASSERT_TRUE(ids.Append(id).ok());
  const auto columns = arrow::schema({arrow::field("id", arrow::int64())});
  const ScoredBatch batch{.rows = arrow::RecordBatch::Make(columns, kRows, {*ids.Finish()})};
  KafkaSinkOptions options = SinkOptions();
  options.most = milliseconds(2000);
  const auto late = Sink(options, *columns);
  struct sigaction still {};
  still.sa_handler = StandStill;
  ASSERT_EQ(::sigaction(SIGUSR2, &still, nullptr), 0);
  Status written;
  std::jthread writer([&] { written = late->Write(batch); });
  std::this_thread::sleep_for(milliseconds(100));
  ASSERT_EQ(::pthread_kill(writer.native_handle(), SIGUSR2), 0);
  writer.join();
  EXPECT_EQ(FaultOf(written).exit, Exit::kStalled) << written;
  EXPECT_THAT(FaultOf(written).what, HasSubstr("Kafka has ended its transaction"));

  const auto heir = Sink(SinkOptions(), *columns);
  EXPECT_EQ(*heir->Newest(), std::optional<int64_t>(-1));
  ASSERT_TRUE(heir->Write(batch).ok());
  EXPECT_EQ(Written(), UpTo(kRows));
}

// After hours without a message connections are closed.
TEST_F(Kafka, ConnectionsThatWereClosedForWantOfMessagesAreOpenedAgain) {
  broker_->MakeTopic(in_, 1);
  broker_->MakeTopic(out_, 1);
  KafkaSourceOptions idle = SourceOptions();
  KafkaSinkOptions sinks = SinkOptions();
  for (Json* const settings : {&idle.kafka.settings, &sinks.kafka.settings}) {
    (*settings)["connections.max.idle.ms"] = 500;
  }
  const auto source = Source(idle);
  const auto sink = Sink(sinks, *source->schema());
  for (int64_t number = 0; number < 2; ++number) {
    broker_->Send(in_, Numbered(number, 1, 1));
    const Json stretch = NextOf(*source);
    ASSERT_TRUE(sink->Write({.number = number, .rows = source->Read(stretch)->rows}).ok());
    ASSERT_TRUE(source->Done(stretch).ok());
    EXPECT_TRUE(source->Next({}, milliseconds(2000), {})->is_null());
  }
  EXPECT_EQ(Written(), UpTo(2));
}

TEST_F(Kafka, AtLeastOnceWritesWithoutTransactions) {
  broker_->MakeTopic(in_, 1);
  broker_->MakeTopic(out_, 3);
  broker_->Send(in_, Numbered(0, 30, 1));
  const auto source = Source(SourceOptions());
  const auto rows = source->Read(NextOf(*source, {.rows = 30, .gather = milliseconds(5000)}))->rows;
  KafkaSinkOptions options = SinkOptions();
  options.delivery = Delivery::kAtLeastOnce;
  options.key = "id";
  const auto sink = Sink(options, *rows->schema());
  EXPECT_EQ(*sink->Newest(), std::nullopt);
  ASSERT_TRUE(sink->Write({.number = 0, .rows = rows}).ok());
  EXPECT_EQ(Written(), UpTo(30));
  EXPECT_GT(broker_->ReadAll(out_)[0].size(), 0U);
  EXPECT_GT(broker_->ReadAll(out_)[1].size(), 0U);
}

TEST_F(Kafka, MistakesAreNamedBeforeAnythingIsRead) {
  broker_->MakeTopic(in_, 1);
  const auto fault = [&](const std::function<void(KafkaConnection&)>& spoil) {
    KafkaSourceOptions options = SourceOptions();
    options.kafka.patience = milliseconds(1500);
    spoil(options.kafka);
    const auto opened = OpenTopicSource(options);
    return opened.ok() ? Fault() : FaultOf(opened.status());
  };
  const Fault topic = fault([](auto& kafka) { kafka.topic += "x"; });
  EXPECT_THAT(topic.what, HasSubstr("unknown topic"));
  EXPECT_THAT(topic.fix, HasSubstr(in_));
  const Fault setting = fault([](auto& kafka) { kafka.settings["fetch.mni.bytes"] = 1; });
  EXPECT_EQ(setting.what, "librdkafka has no setting \"fetch.mni.bytes\"");
  const Fault ours = fault([](auto& kafka) { kafka.settings["group.id"] = "mine"; });
  EXPECT_EQ(ours.what, "group.id is decided by the stream");
  const Fault nobody = fault([](auto& kafka) { kafka.servers = "127.0.0.1:1"; });
  EXPECT_EQ(nobody.what, "no server of Kafka responds at 127.0.0.1:1 within 1.5 s");
  EXPECT_EQ(nobody.exit, Exit::kRemote);
}

TEST_F(Kafka, PasswordsComeFromTheEnvironmentAndAreNeverShown) {
  broker_->MakeTopic(in_, 1);
  const auto open = [&](const Json& password) {
    KafkaSourceOptions options = SourceOptions();
    options.kafka.servers = broker_->password_address();
    options.kafka.settings = {{"security.protocol", "SASL_PLAINTEXT"},
                              {"sasl.mechanism", "PLAIN"},
                              {"sasl.username", "protium"},
                              {"sasl.password", password}};
    return OpenTopicSource(options).status();
  };
  ::setenv("PROTIUM_KAFKA_TEST", "of-the-broker", 1);
  EXPECT_TRUE(open({{"env", "PROTIUM_KAFKA_TEST"}}).ok());
  ::setenv("PROTIUM_KAFKA_TEST", "guessed", 1);
  const Fault wrong = FaultOf(open({{"env", "PROTIUM_KAFKA_TEST"}}));
  EXPECT_THAT(wrong.what, HasSubstr("Kafka refuses this client"));
  EXPECT_THAT(Render(wrong), ::testing::Not(HasSubstr("guessed")));
  ::unsetenv("PROTIUM_KAFKA_TEST");
  const Fault plain = FaultOf(open("guessed"));
  EXPECT_THAT(plain.what, HasSubstr("stands in the job"));
  EXPECT_THAT(Render(plain), ::testing::Not(HasSubstr("guessed")));
}

TEST_F(Kafka, ABrokerThatHangsIsWaitedForByTheSourceAndNamedByTheSink) {
  broker_->MakeTopic(in_, 1);
  broker_->MakeTopic(out_, 1);
  broker_->Send(in_, Numbered(0, 1, 1));
  KafkaSourceOptions patient = SourceOptions();
  patient.kafka.patience = milliseconds(1000);
  const auto source = Source(patient);
  const auto rows = source->Read(NextOf(*source))->rows;
  KafkaSinkOptions options = SinkOptions();
  options.most = milliseconds(2000);
  options.kafka.patience = milliseconds(1000);
  auto sink = Sink(options, *rows->schema());
  broker_->Signal(SIGSTOP);
  EXPECT_TRUE(source->Next({}, milliseconds(100), {})->is_null());
  const auto began = std::chrono::steady_clock::now();
  const Status failed = sink->Write({.number = 0, .rows = rows});
  EXPECT_EQ(FaultOf(failed).exit, Exit::kRemote) << failed;
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
  KafkaSourceOptions another = SourceOptions();
  another.kafka.patience = milliseconds(500);
  EXPECT_THAT(FaultOf(OpenTopicSource(another).status()).what, HasSubstr("no server of Kafka"));
  broker_->Signal(SIGCONT);

  // Whether the batch came through is known to whoever comes next.
  sink = Sink(SinkOptions(), *rows->schema());
  const auto newest = sink->Newest();
  ASSERT_TRUE(newest.ok()) << newest.status();
  const bool there = **newest == 0;
  ASSERT_TRUE(there || sink->Write({.number = 0, .rows = rows}).ok());
  EXPECT_EQ(Written(), UpTo(1));
  broker_->Send(in_, Numbered(1, 1, 1));
  EXPECT_EQ(Ids(*source->Read(NextOf(*source))->rows), (std::vector<int64_t>{1}));
}

}  // namespace
}  // namespace protium
