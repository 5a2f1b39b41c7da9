// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Forwards no gas with its payment: the recipient has 2,300 gas, as with `transfer` and `send`.
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

/// Collects the same addresses again during a collection.
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
