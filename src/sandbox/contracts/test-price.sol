// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What one ETH is worth in test mode, asked as a Chainlink aggregator is. Anybody may change it.
contract TestPrice {
    string public constant description = "ETH / USD";
    uint8 public constant decimals = 8;
    uint256 public constant version = 1;

    uint80 private round = 1;
    int256 private answer = 2_500e8;
    uint256 private updatedAt = block.timestamp;

    function set(int256 price, uint256 time) external {
        round++;
        answer = price;
        updatedAt = time;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (round, answer, updatedAt, updatedAt, round);
    }
}
