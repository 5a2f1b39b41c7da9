// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// An aggregator that returns what a test sets. Also used as a sequencer feed, whose `startedAt` is the time of the last
/// change.
contract Aggregator {
    string public description;
    uint8 public decimals;
    uint80 round;
    int256 answer;
    uint256 started;
    uint256 updated;

    constructor(string memory name, uint8 places) {
        description = name;
        decimals = places;
    }

    function set(int256 newAnswer, uint256 startedAt, uint256 updatedAt) public {
        round++;
        answer = newAnswer;
        started = startedAt;
        updated = updatedAt;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (round, answer, started, updated, round);
    }
}
