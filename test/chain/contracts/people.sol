// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Gives no gas along with its payment: 2,300 come with the coins, as they do with `transfer` and `send`.
contract StipendPayer {
    function pay(address payable to) external payable {
        (bool done,) = to.call{value: msg.value, gas: 0}("");
        require(done);
    }
}

contract RefusingTreasury {
    receive() external payable {
        revert("no coins");
    }
}

contract GasEatingTreasury {
    receive() external payable {
        while (true) {}
    }
}

/// Collects the same addresses again from within a collection.
contract ReenteringTreasury {
    address private forwarders;
    bytes private message;
    uint256 public depth;
    uint256 public deepest;

    function prepare(address forwarders_, bytes calldata message_) external {
        forwarders = forwarders_;
        message = message_;
    }

    receive() external payable {
        if (depth == 3) return;
        ++depth;
        (bool done,) = forwarders.call(message);
        if (done && depth > deepest) deepest = depth;
        --depth;
    }
}
