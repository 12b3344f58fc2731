# syntax=docker/dockerfile:1
# Built once with everything, shipped with next to nothing: Node and two folders; no shell, no npm, no root.

# The release workflow looks up the digests of both images, builds with them (`--build-arg BUILD_IMAGE=…@sha256:…`) and
# lists them in the release. A build by hand takes what the tags name at that moment.
ARG BUILD_IMAGE=node:24-slim
ARG RUN_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node tools/build.mjs && mkdir -p /out/data /out/home && cp -r bin dist package.json LICENSE /out/
# `taco serve` without a bucket uses ./taco-data. A bucket in ENV would get in the way of TACO_SERVER.
RUN ln -s /data /out/home/taco-data

FROM ${RUN_IMAGE}
COPY --from=build /out/bin /app/bin
COPY --from=build /out/dist /app/dist
COPY --from=build /out/package.json /out/LICENSE /app/
COPY --from=build /out/home /app/home
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
WORKDIR /app/home
ENV NODE_ENV=production \
    TACO_LISTEN=0.0.0.0:8226 \
    TACO_AUTH=token
VOLUME /data
EXPOSE 8226
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["/nodejs/bin/node", "-e", "fetch('http://127.0.0.1:8226/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/app/bin/taco"]
CMD ["serve"]
