"""Who decides: one file per policy, all behind `dispatch`."""
