// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Never deployed. A node runs it in `eth_call` as the creation of a contract and returns, in place of that contract's
/// code, for each address: its code size, its balance in native currency, and its balance of each token, which is the
/// largest number where the token does not answer.
contract Holdings {
    constructor(address[] memory holders, address[] memory tokens) {
        uint256[] memory words = new uint256[](holders.length * (tokens.length + 2));
        uint256 next;
        for (uint256 i; i < holders.length; ++i) {
            words[next++] = holders[i].code.length;
            words[next++] = holders[i].balance;
            for (uint256 j; j < tokens.length; ++j) words[next++] = balanceOf(tokens[j], holders[i]);
        }
        // The count comes first: a contract's code may not begin with 0xef, as a balance might.
        assembly ("memory-safe") {
            return(words, mul(32, add(mload(words), 1)))
        }
    }

    function balanceOf(address token, address holder) private view returns (uint256 amount) {
        assembly ("memory-safe") {
            mstore(0, shl(224, 0x70a08231)) // balanceOf(address)
            mstore(4, holder)
            let done := staticcall(50000, token, 0, 36, 0, 32)
            amount := not(0)
            if and(done, gt(returndatasize(), 31)) { amount := mload(0) }
        }
    }
}
