// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A standard token. The others differ in their transfer.
contract GoodToken {
    mapping(address => uint256) public balanceOf;

    function mint(address[] calldata to, uint256 amount) external {
        for (uint256 i; i < to.length; ++i) balanceOf[to[i]] += amount;
    }

    function transfer(address to, uint256 amount) external virtual {
        move(to, amount);
        answer(1);
    }

    function move(address to, uint256 amount) internal {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }

    function answer(uint256 word) internal pure {
        assembly {
            mstore(0, word)
            return(0, 32)
        }
    }
}

contract NoReturnToken is GoodToken {
    function transfer(address to, uint256 amount) external override {
        move(to, amount);
    }
}

contract FalseReturnToken is GoodToken {
    function transfer(address, uint256) external pure override {
        answer(0);
    }
}

contract FeeToken is GoodToken {
    function transfer(address to, uint256 amount) external override {
        move(to, amount - amount / 100);
        move(address(0xfee), amount / 100);
        answer(1);
    }
}

contract RevertingToken is GoodToken {
    function transfer(address, uint256) external pure override {
        revert("not today");
    }
}

/// Can freeze one holder.
contract FreezingToken is GoodToken {
    address public frozen;

    function freeze(address holder) external {
        frozen = holder;
    }

    function transfer(address to, uint256 amount) external override {
        require(msg.sender != frozen);
        move(to, amount);
        answer(1);
    }
}

contract BombToken is GoodToken {
    function transfer(address, uint256) external pure override {
        assembly {
            mstore(0, 1)
            return(0, 1000000)
        }
    }
}

/// Returns as much data as the gas of a sweep pays for.
contract SmallBombToken is GoodToken {
    function transfer(address to, uint256 amount) external override {
        move(to, amount);
        assembly {
            mstore(0, 1)
            return(0, 100000)
        }
    }
}

contract EndlessToken is GoodToken {
    function transfer(address, uint256) external pure override {
        while (true) {}
    }
}

/// balanceOf() uses all gas and never returns.
contract SilentToken {
    function balanceOf(address) external pure {
        while (true) {}
    }
}
