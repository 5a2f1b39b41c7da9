// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What something is worth in test mode, asked as a Chainlink aggregator is. Anybody may change it.
contract TestPrice {
    string public description;
    uint8 public constant decimals = 8;
    uint256 public constant version = 1;

    uint80 private round = 1;
    int256 private answer;
    uint256 private updatedAt = block.timestamp;

    constructor(string memory pair, int256 price) {
        description = pair;
        answer = price;
    }

    function set(int256 price, uint256 time) external {
        round++;
        answer = price;
        updatedAt = time;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (round, answer, updatedAt, updatedAt, round);
    }
}
