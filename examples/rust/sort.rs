//! sort.rs: the C API from Rust, by bindgen. Sorts and sums on the host back end; on a GPU the pointers are those of
//! device memory.
//!
//!     make lib
//!     bindgen gpuprims.h --allowlist-function 'gp_.*' --allowlist-type 'gp_.*' --allowlist-var 'GP_.*' \
//!         --default-enum-style newtype -o build/gpuprims.rs
//!     GPUPRIMS_BINDINGS=$PWD/build/gpuprims.rs rustc examples/rust/sort.rs -L build -l gpuprims -o build/sort_rs
//!     LD_LIBRARY_PATH=build build/sort_rs
//!
//! Functions that the header defines inline (gp_config_init and others) have no symbol: a struct is zeros and its size.
#![allow(non_camel_case_types, non_upper_case_globals, non_snake_case, dead_code)]

mod gp {
    include!(env!("GPUPRIMS_BINDINGS"));
}
use std::ffi::CStr;
use std::mem::{size_of, zeroed};
use std::ptr::{null_mut, NonNull};

/// The library's message, which names the function and the argument.
#[derive(Debug)]
struct Error(String);

fn checked(result: gp::gp_result) -> Result<(), Error> {
    if result == gp::gp_result::GP_SUCCESS {
        return Ok(());
    }
    Err(Error(unsafe { CStr::from_ptr(gp::gp_last_message()) }.to_string_lossy().into_owned()))
}

/// A context that closes itself.
struct Context(NonNull<gp::gp_context>);

impl Context {
    fn on_host() -> Result<Self, Error> {
        let mut config: gp::gp_config = unsafe { zeroed() };
        config.struct_size = size_of::<gp::gp_config>() as u32;
        config.backend = gp::gp_backend::GP_BACKEND_HOST;
        let mut made = null_mut();
        checked(unsafe { gp::gp_open(&config, &mut made) })?;
        Ok(Context(NonNull::new(made).unwrap()))
    }

    fn sort(&self, keys: &[f32], out: &mut [f32]) -> Result<(), Error> {
        assert!(out.len() >= keys.len());
        checked(unsafe {
            gp::gp_sort_keys(self.0.as_ptr(), gp::gp_type::GP_F32, keys.as_ptr().cast(), keys.len() as u64,
                             out.as_mut_ptr().cast(), 0, null_mut())
        })
    }

    fn sum(&self, values: &[f32]) -> Result<f64, Error> {
        let mut total = 0.0f64;
        checked(unsafe {
            gp::gp_reduce(self.0.as_ptr(), gp::gp_op::GP_SUM, gp::gp_type::GP_F32, gp::gp_type::GP_F64,
                          values.as_ptr().cast(), values.len() as u64, (&mut total as *mut f64).cast(), null_mut())
        })?;
        Ok(total)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        unsafe { gp::gp_close(self.0.as_ptr()) };
    }
}

fn main() -> Result<(), Error> {
    let context = Context::on_host()?;
    let values = [3.0f32, 1.0, 2.5];
    let mut sorted = [0.0f32; 3];
    context.sort(&values, &mut sorted)?;
    assert_eq!(sorted, [1.0, 2.5, 3.0]);
    println!("sorted {:?}, the sum is {}", sorted, context.sum(&values)?);
    let refused = checked(unsafe {
        gp::gp_reduce(context.0.as_ptr(), gp::gp_op::GP_SUM, gp::gp_type::GP_F32, gp::gp_type::GP_F64,
                      null_mut(), 3, null_mut(), null_mut())
    });
    println!("refused: {}", refused.unwrap_err().0);
    Ok(())
}
